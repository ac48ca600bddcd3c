/**
 * A life cycle as data: one readonly table of edges. Types, SQL guards, tests and the drawing in
 * docs/generated/states.md all come from it, so none of them can drift from the others.
 */
export interface Edge<State extends string, Fact extends string> {
  readonly from: State;
  /** The past-tense fact that moves the entity, for example `gatewayConfirmed`. */
  readonly on: Fact;
  readonly to: State;
}

export interface StateMachine<State extends string, Fact extends string> {
  readonly name: string;
  readonly states: readonly State[];
  readonly edges: readonly Edge<State, Fact>[];
  /** Where the fact leads from here; undefined when it changes nothing. */
  next(from: State, on: Fact): State | undefined;
  /** The states from which the fact leads to `to`: the guard of the UPDATE that applies it. */
  sources(on: Fact, to: State): State[];
}

export function defineStateMachine<const State extends string, const Fact extends string>(definition: {
  readonly name: string;
  readonly states: readonly State[];
  readonly edges: readonly Edge<State, Fact>[];
}): StateMachine<State, Fact> {
  const { name, states, edges } = definition;
  const targets = new Map<string, State>();
  for (const edge of edges) {
    const key = `${edge.from} ${edge.on}`;
    if (targets.has(key)) throw new Error(`${name}: two edges leave ${edge.from} on ${edge.on}`);
    targets.set(key, edge.to);
  }
  return {
    name,
    states,
    edges,
    next: (from, on) => targets.get(`${from} ${on}`),
    sources: (on, to) => edges.filter((edge) => edge.on === on && edge.to === to).map((edge) => edge.from),
  };
}

import { describe, expect, it } from 'vitest';

import { defineStateMachine } from './state-machine.ts';

const door = defineStateMachine({
  name: 'door',
  states: ['open', 'closed', 'locked'],
  edges: [
    { from: 'open', on: 'pushed', to: 'closed' },
    { from: 'closed', on: 'keyTurned', to: 'locked' },
    { from: 'open', on: 'keyTurned', to: 'locked' },
  ],
});

describe('a state machine', () => {
  it('leads where its edges lead and nowhere else', () => {
    expect(door.next('open', 'pushed')).toBe('closed');
    expect(door.next('locked', 'pushed')).toBeUndefined();
  });

  it('names the states a fact may leave, for the guard of the UPDATE', () => {
    expect(door.sources('keyTurned', 'locked')).toEqual(['closed', 'open']);
    expect(door.sources('pushed', 'locked')).toEqual([]);
  });

  it('refuses two edges for one fact', () => {
    const edge = { from: 'a', on: 'x', to: 'b' } as const;
    expect(() => defineStateMachine({ name: 'twice', states: ['a', 'b'], edges: [edge, edge] })).toThrow(
      'two edges',
    );
  });
});

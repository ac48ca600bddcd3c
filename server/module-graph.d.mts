import type { ICruiseOptions, IForbiddenRuleType } from 'dependency-cruiser';

/** Module → the modules whose faces it may import. `'*'` reads all. */
export const moduleGraph: Readonly<Record<string, readonly string[] | '*'>>;
/** Module → what it is for, in one line. */
export const modulePurposes: Readonly<Record<string, string>>;
export const adapterFolders: readonly string[];
export const boundaryRules: readonly (IForbiddenRuleType & { name: string; comment: string })[];
export const cruiseOptions: ICruiseOptions;

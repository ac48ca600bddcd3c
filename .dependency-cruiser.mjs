import { boundaryRules, cruiseOptions } from './server/module-graph.mjs';

/** The rules come from the table in server/module-graph.mjs; this file only hands them over. */
export default {
  forbidden: boundaryRules,
  options: { ...cruiseOptions, tsConfig: { fileName: 'tsconfig.json' } },
};

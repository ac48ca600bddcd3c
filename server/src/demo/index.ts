export { seedDemoPartners } from './demo-partners.ts';
export { DEMO_CODES, seedDemoCatalogue } from './seed-demo-catalogue.ts';
export type { DemoSeed, SeedDemoDeps } from './seed-demo-catalogue.ts';

export { graph, node } from './graphs.ts';
export * from './interpreter.ts';
export * from './random-world.ts';
export * from './violations.ts';

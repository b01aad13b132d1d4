export { VirtualTime } from '../../src/virtual-time.ts';

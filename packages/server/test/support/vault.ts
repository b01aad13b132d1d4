export { memoryVault as testVault } from '../../src/secrets/memory-vault.ts';

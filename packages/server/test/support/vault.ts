export { memoryVault as testVault } from '../../src/secrets/keys/memory-vault.ts';

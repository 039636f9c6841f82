export {
  createVault,
  type Vault,
  type VaultAddress,
  type VaultOptions,
  type VaultRequest,
  type VaultTransport,
} from './vault/hashicorp-vault.ts';

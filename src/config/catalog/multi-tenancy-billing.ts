import { defineSection, key } from './define.ts';
import { amountOr, decimal, integer, integerOr, text } from './types.ts';

export const multiTenancyBillingPackageDemo = defineSection({
  path: 'multi_tenancy.billing.package.demo',
  doc: 'The usage plan "demo".',
  keys: {
    name: key('name', text(), {
      default: 'Demo',
      doc: 'Package name.',
      effect: 'name of the usage plan offered to tenants.',
    }),
    subscriptionCharge: key('subscription_charge', integer({ min: 0 }), {
      default: 0,
      doc: 'Monthly charge.',
      mapped: 'recorded in the billing export; nothing is charged.',
    }),
  },
});

export const multiTenancyBillingPackageDemoUsers = defineSection({
  path: 'multi_tenancy.billing.package.demo.users',
  doc: 'Users in the plan.',
  keys: {
    limit: key('limit', integerOr('unlimited'), {
      note: 'no limit when absent; a sample shows 1',
      doc: 'User limit.',
      effect: 'tenant user creation refused above it.',
    }),
    charge: key('charge', decimal({ min: 0 }), { default: 0, doc: 'Charge per user.', mapped: 'billing export.' }),
  },
});

export const multiTenancyBillingPackageDemoResourceVolume = defineSection({
  path: 'multi_tenancy.billing.package.demo.resource_volume',
  doc: 'Registry volume in the plan.',
  keys: {
    limit: key('limit', amountOr('MB', 'unlimited'), {
      note: 'no limit when absent; a sample shows 20',
      doc: 'Registry volume.',
      effect: 'registry writes refused above it unless overuse_charge > 0.',
    }),
    overuseCharge: key('overuse_charge', decimal({ min: 0 }), {
      default: 0,
      note: 'a sample shows 0.03 for custom',
      doc: 'Charge above the limit.',
      mapped: 'billing export.',
    }),
  },
});

export const multiTenancyBillingPackageDemoBandwidth = defineSection({
  path: 'multi_tenancy.billing.package.demo.bandwidth',
  doc: 'Gateway traffic in the plan.',
  keys: {
    limit: key('limit', amountOr('MB', 'unlimited'), {
      note: 'no limit when absent; a sample shows 50',
      doc: 'Bandwidth.',
      effect: 'gateway traffic counted per tenant and month; above it 429 unless overuse_charge > 0.',
    }),
    overuseCharge: key('overuse_charge', decimal({ min: 0 }), {
      default: 0,
      note: 'a sample shows 0.03 for custom',
      doc: 'Charge above the limit.',
      mapped: 'billing export.',
    }),
  },
});

export const multiTenancyBillingPackageSmb = defineSection({
  path: 'multi_tenancy.billing.package.smb',
  doc: 'The usage plan "SMB".',
  keys: {
    name: key('name', text(), {
      default: 'SMB',
      doc: 'Package name.',
      effect: 'name of the usage plan offered to tenants.',
    }),
    subscriptionCharge: key('subscription_charge', integer({ min: 0 }), {
      default: 0,
      note: 'the original ships 100',
      doc: 'Monthly charge.',
      mapped: 'recorded in the billing export; nothing is charged.',
    }),
  },
});

export const multiTenancyBillingPackageSmbUsers = defineSection({
  path: 'multi_tenancy.billing.package.smb.users',
  doc: 'Users in the plan.',
  keys: {
    limit: key('limit', integerOr('unlimited'), {
      note: 'no limit when absent; a sample shows unlimited',
      doc: 'User limit.',
      effect: 'tenant user creation refused above it.',
    }),
    charge: key('charge', decimal({ min: 0 }), { default: 0, doc: 'Charge per user.', mapped: 'billing export.' }),
  },
});

export const multiTenancyBillingPackageSmbResourceVolume = defineSection({
  path: 'multi_tenancy.billing.package.smb.resource_volume',
  doc: 'Registry volume in the plan.',
  keys: {
    limit: key('limit', amountOr('MB', 'unlimited'), {
      note: 'no limit when absent; a sample shows 50',
      doc: 'Registry volume.',
      effect: 'registry writes refused above it unless overuse_charge > 0.',
    }),
    overuseCharge: key('overuse_charge', decimal({ min: 0 }), {
      default: 0,
      note: 'a sample shows 0.03 for custom',
      doc: 'Charge above the limit.',
      mapped: 'billing export.',
    }),
  },
});

export const multiTenancyBillingPackageSmbBandwidth = defineSection({
  path: 'multi_tenancy.billing.package.smb.bandwidth',
  doc: 'Gateway traffic in the plan.',
  keys: {
    limit: key('limit', amountOr('MB', 'unlimited'), {
      note: 'no limit when absent; a sample shows 150',
      doc: 'Bandwidth.',
      effect: 'gateway traffic counted per tenant and month; above it 429 unless overuse_charge > 0.',
    }),
    overuseCharge: key('overuse_charge', decimal({ min: 0 }), {
      default: 0,
      note: 'a sample shows 0.03 for custom',
      doc: 'Charge above the limit.',
      mapped: 'billing export.',
    }),
  },
});

export const multiTenancyBillingPackageCustom = defineSection({
  path: 'multi_tenancy.billing.package.custom',
  repeated: true,
  doc: 'Further usage plans.',
  keys: {
    name: key('name', text(), {
      note: 'the original ships Professional and Enterprise',
      doc: 'Package name.',
      effect: 'name of the usage plan offered to tenants.',
    }),
    subscriptionCharge: key('subscription_charge', integer({ min: 0 }), {
      default: 0,
      doc: 'Monthly charge.',
      mapped: 'recorded in the billing export; nothing is charged.',
    }),
  },
});

export const multiTenancyBillingPackageCustomUsers = defineSection({
  path: 'multi_tenancy.billing.package.custom.users',
  doc: 'Users in the plan.',
  keys: {
    limit: key('limit', integerOr('unlimited'), {
      note: 'no limit when absent; a sample shows unlimited',
      doc: 'User limit.',
      effect: 'tenant user creation refused above it.',
    }),
    charge: key('charge', decimal({ min: 0 }), { default: 0, doc: 'Charge per user.', mapped: 'billing export.' }),
  },
});

export const multiTenancyBillingPackageCustomResourceVolume = defineSection({
  path: 'multi_tenancy.billing.package.custom.resource_volume',
  doc: 'Registry volume in the plan.',
  keys: {
    limit: key('limit', amountOr('MB', 'unlimited'), {
      note: 'no limit when absent; a sample shows 1536',
      doc: 'Registry volume.',
      effect: 'registry writes refused above it unless overuse_charge > 0.',
    }),
    overuseCharge: key('overuse_charge', decimal({ min: 0 }), {
      default: 0,
      note: 'a sample shows 0.03 for custom',
      doc: 'Charge above the limit.',
      mapped: 'billing export.',
    }),
  },
});

export const multiTenancyBillingPackageCustomBandwidth = defineSection({
  path: 'multi_tenancy.billing.package.custom.bandwidth',
  doc: 'Gateway traffic in the plan.',
  keys: {
    limit: key('limit', amountOr('MB', 'unlimited'), {
      note: 'no limit when absent; a sample shows 50',
      doc: 'Bandwidth.',
      effect: 'gateway traffic counted per tenant and month; above it 429 unless overuse_charge > 0.',
    }),
    overuseCharge: key('overuse_charge', decimal({ min: 0 }), {
      default: 0,
      note: 'a sample shows 0.03 for custom',
      doc: 'Charge above the limit.',
      mapped: 'billing export.',
    }),
  },
});

export { createDashboard, type Dashboard, type DashboardOptions } from './create-dashboard.ts';
export { readDashboardSettings, type DashboardSettings, type SsoSettings } from './settings.ts';
export { openDashboardStore, type DashboardStore } from './store.ts';

export { createDashboard, type Dashboard, type DashboardOptions } from './create-dashboard.ts';
export { readDashboardSettings, type DashboardSettings, type SsoSettings } from './settings.ts';

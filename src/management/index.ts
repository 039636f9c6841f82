export { createManagementApi, type ManagementOptions } from './api.ts';

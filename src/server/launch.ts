// What a command needs before it knows whether its process serves or watches over others that do. It does not load the
// server, which is most of the program.
export { notifyServiceManager, type ServiceState } from './notify.ts';
export { reloadForSignal } from './reloader.ts';
export { roles } from './roles.ts';
export { countWorkers, optionsForWorkers } from './workers/count-workers.ts';
export { supervise, type Supervised } from './workers/supervisor.ts';
export { workerCommand } from './workers/worker-process.ts';

export { systemClock, type Clock } from './clock.ts';
export { configureLog, getLogger, type LogFields, type Logger, type LogLevel, type LogOptions } from './log.ts';

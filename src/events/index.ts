export { createEventBus, type BusEvent, type EventBus, type EventReceiver } from './event-bus.ts';

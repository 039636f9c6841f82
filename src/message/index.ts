export { bodySourceOf, readBody, type Body, type BodySink, type BodySource } from './body.ts';
export { getAllHeaders, getHeader, indexOfHeader, removeHeader, setHeader, type HeaderList } from './header-list.ts';

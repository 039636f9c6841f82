export { createXQuery, type XQuery, type XQueryItem, type XQueryValue } from './xquery.ts';

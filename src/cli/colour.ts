import process from 'node:process';

// The help printer decides about colours when it is loaded, so this module comes before it.
if (!process.stdout.isTTY) process.env['NO_COLOR'] = '1';

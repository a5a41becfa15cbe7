/** The names of HTTP's status codes. An `import` of node:http would load all that it exports, WebSocket among it: 25 ms and 14 MiB. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')

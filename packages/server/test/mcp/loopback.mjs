// Loaded before a server that listens on all interfaces: it listens on this machine only.
import { Server } from 'node:net';

const { listen } = Server.prototype;
/** @param {unknown[]} given */
Server.prototype.listen = function (...given) {
  const [port, ...rest] = given;
  const args = typeof port === 'object' ? given : [port, '127.0.0.1', ...rest];
  return Reflect.apply(listen, this, args);
};

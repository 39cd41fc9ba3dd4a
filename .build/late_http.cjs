// undici needs two small things of node:http, which takes 2 ms to load: a limit, when a client is made without one, and
// the class of incoming messages, to recognise one that is sent on. payctl sends none on.
module.exports = {
  IncomingMessage: undefined,
  maxHeaderSize: 16 * 1024,
}

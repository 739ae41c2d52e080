// A store as people write it on Node's own `http`: JSON.parse, a reducer, JSON.stringify.
//
//   node node_store.js PORT
'use strict';
const http = require('http');

let state = { counter: { counter: 0, step: 1 }, todos: { items: [] } };
let version = 0;

function reduce(state, action) {
  const { counter, step } = state.counter;
  switch (action.type) {
    case 'CounterIncreaseRequested':
      return { ...state, counter: { counter: counter + step, step } };
    case 'CounterDecreaseRequested':
      return { ...state, counter: { counter: counter - step, step } };
    case 'StepChangeRequested':
      return { ...state, counter: { counter, step: action.payload.step } };
    default:
      return state;
  }
}

http
  .createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const next = reduce(state, JSON.parse(Buffer.concat(chunks).toString()));
      const changed = next !== state;
      state = next;
      version += 1;
      const body = JSON.stringify({ epoch: '4f1c09ab', version, changed });
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        ETag: `"4f1c09ab:${version}"`,
      });
      response.end(body);
    });
  })
  .listen(Number(process.argv[2]), '127.0.0.1');

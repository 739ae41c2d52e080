// A usual store on Node's own `http`: JSON.parse, a reducer, JSON.stringify.
//
//   node node_store.js PORT          only these parts
//   node node_store.js PORT store    also the other parts of a store: a record of each action, kept in
//                                    a bounded journal, and the state as a string for its readers
'use strict';
const http = require('http');

const RECORDS_MAX = 10000;
const asStore = process.argv[3] === 'store';

let state = {
  counter: { counter: 0, step: 1 },
  todos: {
    items: [
      { text: 'Pet my unicorn', completed: false },
      { text: 'Become a doctor.\nChange last name to Acula', completed: false },
      { text: 'Hire two private investigators.\nGet them to follow each other', completed: false },
      { text: 'Visit mars', completed: false },
    ],
  },
};
let version = 0;
let snapshot = JSON.stringify(state);
const journal = new Array(RECORDS_MAX);

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
      if (request.method === 'GET') return response.end(snapshot);
      const action = JSON.parse(Buffer.concat(chunks).toString());
      const next = reduce(state, action);
      const changed = next !== state;
      state = next;
      version += 1;
      if (asStore) {
        journal[version % RECORDS_MAX] = { version, time: Date.now(), ...action, changed };
        snapshot = JSON.stringify(state);
      }
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

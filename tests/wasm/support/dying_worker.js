// A worker that dies at its first call, as one whose thread the browser has ended.
self.onmessage = ({ data }) => {
  if (data.type === 'start') self.postMessage({ type: 'started' });
  if (data.type === 'call') throw new Error('gone');
};

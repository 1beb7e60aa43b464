// A safetensors checkpoint of a given shape with made-up weights: for sizes and times, where it does not matter what
// a model says.
export const SIZES = {
  lab: { V: 2048, D: 128, L: 4, H: 4, G: 2, K: 32, F: 448 },
  'minimind-3': { V: 6400, D: 768, L: 8, H: 8, G: 4, K: 96, F: 2432 },
};

/** Names and shapes in the order of MiniMind's state dict. */
function tensors({ V, D, L, H, G, K, F }) {
  const list = [['model.embed_tokens.weight', [V, D]]];
  for (let l = 0; l < L; ++l) {
    const layer = `model.layers.${l}.`;
    for (const [name, rows, columns] of [['q', H * K, D], ['k', G * K, D], ['v', G * K, D], ['o', D, H * K]]) {
      list.push([`${layer}self_attn.${name}_proj.weight`, [rows, columns]]);
    }
    for (const name of ['q_norm', 'k_norm']) list.push([`${layer}self_attn.${name}.weight`, [K]]);
    for (const name of ['input_layernorm', 'post_attention_layernorm']) list.push([`${layer}${name}.weight`, [D]]);
    for (const [name, rows, columns] of [['gate', F, D], ['down', D, F], ['up', F, D]]) {
      list.push([`${layer}mlp.${name}_proj.weight`, [rows, columns]]);
    }
  }
  list.push(['model.norm.weight', [D]]);
  return list;
}

/** @param type  'f16', or 'f32' for the same numbers in twice the bytes */
export function madeUpCheckpoint(size, type = 'f16') {
  const width = type === 'f32' ? 4 : 2;
  const header = {};
  let offset = 0;
  const list = tensors(SIZES[size]);
  for (const [name, shape] of list) {
    const bytes = width * shape.reduce((product, n) => product * n, 1);
    header[name] = { dtype: type.toUpperCase(), shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
  }
  let text = JSON.stringify(header);
  text += ' '.repeat((8 - (text.length % 8)) % 8);
  const file = Buffer.alloc(8 + text.length + offset);
  file.writeBigUInt64LE(BigInt(text.length), 0);
  file.write(text, 8, 'latin1');
  const Bits = type === 'f32' ? Uint32Array : Uint16Array;
  const values = new Bits(file.buffer, file.byteOffset + 8 + text.length, offset / width);
  const bits = (half) => (type === 'f16' ? half : ((half & 0x8000) << 16) | (((half & 0x7fff) << 13) + (112 << 23)));
  let state = 1;
  let at = 0;
  for (const [, shape] of list) {
    const count = shape.reduce((product, n) => product * n, 1);
    if (shape.length === 1) {
      values.fill(bits(0x3c00), at, at + count); // 1.0
    } else {
      for (let i = at; i < at + count; ++i) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        // A sign, an exponent of 2^-8 … 2^-5, a mantissa.
        values[i] = bits(((state >>> 16) & 0x83ff) | ((7 + ((state >>> 10) & 3)) << 10));
      }
    }
    at += count;
  }
  return file;
}

/** The usual prompt: 201 ids. */
export const PROMPT = { kind: 'ids', ids: [1, ...Array.from({ length: 200 }, (_, i) => 3 + ((i * 37) % 1700))] };

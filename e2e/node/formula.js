// The byte formula of docs/data.md, written from that page and not from the server's source, so that they can disagree.

const MASK = 2n ** 64n - 1n;
const GAMMA = 0x9e3779b97f4a7c15n; // splitmix64's increment
const NAME_PRIME = 0xbf58476d1ce4e5b9n; // of the name's hash

// The finaliser of splitmix64.
function mix(z) {
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

// The 64-bit stream number of content name bucket/key under a seed.
function nameHash(seed, bucket, key) {
  const length = Buffer.byteLength(`${bucket}/${key}`);
  const name = Buffer.alloc(Math.ceil(length / 8) * 8);
  name.write(`${bucket}/${key}`);
  let f = mix((BigInt(seed) + GAMMA) & MASK);
  for (let i = 0; i < name.length; i += 8) {
    f = ((f ^ name.readBigUInt64LE(i)) * NAME_PRIME) & MASK;
    f ^= f >> 32n;
  }
  return mix(f ^ BigInt(length));
}

function rotate(z) {
  return BigInt.asUintN(64, z << 27n) | (z >> 37n);
}

// The eight words of the chain that starts from counter z.
function chain(z) {
  let x = mix(z);
  let y = rotate(BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n - x));
  const words = [];
  for (let j = 0; j < 8; j++) {
    words.push(x);
    [x, y] = [BigInt.asUintN(64, y * 0xd3833e804f4c574bn), rotate(BigInt.asUintN(64, y - x))];
  }
  return words;
}

// Bytes [offset, offset+length) of the synthetic object bucket/key.
export function content(seed, bucket, key, offset, length) {
  const h = nameHash(seed, bucket, key);
  const first = Math.floor(offset / 512);
  const blocks = Math.ceil((offset + length) / 512) - first;
  const out = Buffer.alloc(blocks * 512);
  let counter = BigInt.asUintN(64, h + BigInt(first) * 8n * GAMMA);
  for (let c = 0; c < blocks * 8; c++) {
    counter = BigInt.asUintN(64, counter + GAMMA);
    const at = Math.floor(c / 8) * 512 + (c % 8) * 8;
    chain(counter).forEach((word, j) => out.writeBigUInt64LE(word, at + 64 * j));
  }
  return out.subarray(offset - first * 512, offset - first * 512 + length);
}

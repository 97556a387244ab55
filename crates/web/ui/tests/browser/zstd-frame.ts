/** A zstd frame of one block that is not compressed (RFC 8878). */
export function zstdFrame(text: string): Buffer {
  const content = Buffer.from(text);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head[4] = 0xa0;
  head.writeUInt32LE(content.length, 5);
  head.writeUIntLE(content.length * 8 + 1, 9, 3);
  return Buffer.concat([head, content]);
}

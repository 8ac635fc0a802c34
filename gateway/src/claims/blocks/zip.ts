import { crc32 } from "node:zlib";

type File = { readonly name: string; readonly bytes: Buffer };

/** 1980-01-01, the earliest day that the format knows: a fixed day, so that the same files make the same archive. */
const DAY = 0x21;
/** Names are UTF-8. */
const UTF8 = 0x800;

/**
 * A ZIP archive of some files, not compressed, since they are compressed already or small (PKWARE's APPNOTE, 4.3, without
 * ZIP64: up to 4 GB and 65,535 files). It is made file by file, and each file is read when its turn comes. Throws for names
 * that could leave the folder in which somebody unpacks it.
 */
export async function* zip(files: AsyncIterable<File> | Iterable<File>): AsyncGenerator<Buffer> {
  const entries: Buffer[] = [];
  let offset = 0;
  for await (const { name, bytes } of files) {
    if (!/^[\w-][\w .-]*$/.test(name)) throw new Error(`not a name for an archive: ${name}`);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0); // version 2.0
    about.writeUInt16LE(UTF8, 2);
    about.writeUInt16LE(DAY, 8);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(bytes.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), about, Buffer.from(name)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), about, place, Buffer.from(name)]));
    offset += local.length + bytes.length;
    yield local;
    yield bytes;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  yield Buffer.concat([directory, Buffer.from("PK\x05\x06", "latin1"), end]);
}

import { closeSync, openSync, readSync, writeSync } from 'node:fs'

// Executables of Windows (PE32+).

/** Offset of the optional header's entry for the certificates, from the start of the PE header. */
const certificates = 24 + 112 + 4 * 8

/**
 * Removes the signature of Node's project from an executable with added content. The signature no longer matches the
 * content, and signing tools refuse a file with a wrong signature.
 */
export function removeSignature(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    const offset = Buffer.alloc(4)
    readSync(descriptor, offset, { position: 0x3c })
    writeSync(descriptor, Buffer.alloc(8), 0, 8, offset.readUInt32LE() + certificates)
  } finally {
    closeSync(descriptor)
  }
}

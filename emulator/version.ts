import manifest from '../package.json' with { type: 'json' }

export const version: string = manifest.version

/** Message for a missing file of payctl that the emulator needs. */
export const missingPart =
  'The emulator could not load a part of itself. Was payctl moved or upgraded? Start the emulator again.'

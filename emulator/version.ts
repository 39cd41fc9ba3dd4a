import manifest from '../package.json' with { type: 'json' }

export const version: string = manifest.version

/** Message about a file of payctl that is missing when the emulator needs it. */
export const missingPart =
  'The emulator could not load a part of itself. Was payctl moved or upgraded? Start the emulator again.'

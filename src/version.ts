import manifest from '../package.json' with { type: 'json' }

export const version: string = manifest.version

/** Hint about a file that a newer payctl has written. This payctl may be an npm package, a single file or an image. */
export const howToUpdate = 'Install a newer payctl in the same way as this one'

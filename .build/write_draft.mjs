// Replaces the package `atomically`, which exports a function of the same name.
export { writeFileSync } from 'node:fs'

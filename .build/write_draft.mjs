// Replaces the package `atomically`, which also exports a function `writeFileSync`.
export { writeFileSync } from 'node:fs'

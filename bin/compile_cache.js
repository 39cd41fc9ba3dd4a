// Written in old syntax, like all of bin/, so that even the oldest Node reaches the version check.
'use strict'

var fs = require('fs')
var path = require('path')

var OTHERS_ANY = 63 // rwx for the group and for others
var OTHERS_WRITE = 18 // w for the group and for others
var STICKY = 512 // in a folder with this bit, no user can replace another user's files

/** Name of the file beside the cache folder of each build. The file contains the path of the build's bundle. */
var RECORD = /^(\d+\.\d+\.\d+[\w.+-]*-[0-9a-z]+)\.bundle$/

/**
 * Node runs any compiled code in its cache, and by default the cache is in the shared folder for temporary files.
 * payctl uses a cache only in a folder that no other user can write to. If NODE_COMPILE_CACHE is set, Node uses that
 * folder instead: Node reads the variable before it loads payctl.
 */
exports.enable = function (bundle, version) {
  var enable = require('module').enableCompileCache
  var cache = enable && privateFolder()
  var folder = cache && folderOfBuild(cache, bundle, version)
  if (folder) enable(folder)
}

/**
 * Each build has a separate cache, because Node never removes what it has stored. The first run of a build removes the
 * caches of builds that were replaced or deleted.
 */
function folderOfBuild(cache, bundle, version) {
  try {
    var folder = path.join(cache, version + '-' + Math.floor(fs.statSync(bundle).mtimeMs).toString(36))
    if (!fs.existsSync(folder + '.bundle')) begin(folder, bundle)
    return folder
  } catch (_) {
    return null // a new build is replacing the bundle
  }
}

function begin(folder, bundle) {
  var cache = path.dirname(folder)
  try {
    fs.mkdirSync(cache, { recursive: true })
    fs.writeFileSync(folder + '.bundle', bundle, { flag: 'wx' })
  } catch (_) {
    return // another process wrote the file first, or the disk can't be written to
  }
  fs.readdirSync(cache).forEach(function (name) {
    var record = RECORD.exec(name)
    var other = record && path.join(cache, record[1])
    if (other && other !== folder) removeIfLeft(other, bundle)
  })
}

/** Removes the cache of a build that `bundle` has replaced, or whose bundle no longer exists. */
function removeIfLeft(folder, bundle) {
  try {
    var other = fs.readFileSync(folder + '.bundle', 'utf8')
    if (!path.isAbsolute(other) || (other !== bundle && fs.existsSync(other))) return
    fs.rmSync(folder, { recursive: true, force: true })
    fs.rmSync(folder + '.bundle', { force: true })
  } catch (_) {
    // Another process, or the next build, will remove this cache.
  }
}

function privateFolder() {
  var env = process.env
  if (process.platform === 'win32') return env.LOCALAPPDATA && path.join(env.LOCALAPPDATA, 'payctl', 'cache')
  try {
    var parent = cacheHome(env)
    if (!parent) return null
    make(parent)
    make(path.join(parent, 'payctl'))
    var folder = path.join(fs.realpathSync.native(parent), 'payctl')
    return isPrivate(folder) ? folder : null
  } catch (_) {
    return null // the folder is missing and can't be created
  }
}

function cacheHome(env) {
  if (env.XDG_CACHE_HOME && path.isAbsolute(env.XDG_CACHE_HOME)) return env.XDG_CACHE_HOME
  if (!env.HOME || !path.isAbsolute(env.HOME)) return null
  return process.platform === 'darwin' ? path.join(env.HOME, 'Library', 'Caches') : path.join(env.HOME, '.cache')
}

/** Creates the folder only in a folder that this user owns: under sudo, HOME may belong to another user. */
function make(folder) {
  if (fs.existsSync(folder) || fs.lstatSync(path.dirname(folder)).uid !== process.geteuid()) return
  try {
    fs.mkdirSync(folder, 448) // rwx for the user
  } catch (error) {
    if (error.code !== 'EEXIST') throw error // another process created the folder first
  }
}

/** True if no other user can write to the folder or replace it. */
function isPrivate(folder) {
  var user = process.geteuid()
  var stat = fs.lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== user || stat.mode & OTHERS_ANY) return false
  for (var above = path.dirname(folder); ; above = path.dirname(above)) {
    stat = fs.lstatSync(above)
    if (!stat.isDirectory() || (stat.uid !== user && stat.uid !== 0)) return false
    if (stat.mode & OTHERS_WRITE && !(stat.mode & STICKY)) return false
    if (above === path.dirname(above)) return true
  }
}

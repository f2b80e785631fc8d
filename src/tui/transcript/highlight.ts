import type { LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import graphql from 'highlight.js/lib/languages/graphql'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import lua from 'highlight.js/lib/languages/lua'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import scss from 'highlight.js/lib/languages/scss'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import type { Tone } from '../screen/theme.ts'
import type { Highlight } from './markdown.ts'
import { paintedLines } from './painted-html.ts'

// This file is large to load: only `import()` it, after the first frame.

const languages: Readonly<Record<string, LanguageFn>> = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, graphql, ini, java, javascript, json, kotlin, lua },
  ...{ makefile, markdown, php, python, ruby, rust, scss, shell, sql, swift, typescript, xml, yaml },
}

/** Paints code of the languages that are common; the others stay plain. */
export function createHighlight(): Highlight {
  const painter = hljs.newInstance()
  for (const [name, language] of Object.entries(languages)) painter.registerLanguage(name, language)
  return (code, language, paint) => {
    if (!painter.getLanguage(language)) return null
    return paintedLines(painter.highlight(code, { language, ignoreIllegals: true }).value, toneOf, paint)
  }
}

const tones: Readonly<Record<string, Tone>> = {
  keyword: 'keyword',
  built_in: 'name',
  type: 'name',
  literal: 'number',
  number: 'number',
  operator: 'plain',
  punctuation: 'plain',
  regexp: 'string',
  string: 'string',
  char: 'string',
  symbol: 'string',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  meta: 'comment',
  title: 'name',
  name: 'name',
  section: 'heading',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  tag: 'keyword',
  'selector-tag': 'keyword',
  'selector-class': 'name',
  'selector-id': 'name',
  'template-variable': 'plain',
  subst: 'plain',
  variable: 'plain',
  strong: 'strong',
  emphasis: 'italic',
  link: 'link',
  bullet: 'accent',
  code: 'code',
  addition: 'added',
  deletion: 'removed',
}

/** How a class of the library looks: `hljs-title function_`. Undefined: as what it stands in. */
const toneOf = (names: string): Tone | undefined => tones[names.split(' ')[0]?.replace('hljs-', '') ?? '']

/** Texts that are made to be more than text. Each holds a number, so that no two are alike, and would set `window.hacked` if it were run. */

const RUN = 'window.hacked=1'

const MARKUP = [
  `<script>${RUN}</script>`,
  `"><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<img src=x onerror="${RUN}">`,
  `<img src=x onerror=${RUN}//`,
  `"><img src=x onerror=${RUN}>`,
  `' onfocus='${RUN}' autofocus='`,
  `" onmouseover="${RUN}" x="`,
  `<svg onload="${RUN}">`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`,
  `<iframe src="javascript:${RUN}">`,
  `<iframe srcdoc="<script>parent.${RUN}</script>">`,
  `<body onload=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror="${RUN}">`,
  `<input autofocus onfocus=${RUN}>`,
  `<a href="javascript:${RUN}">here</a>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<object data="javascript:${RUN}">`,
  `<embed src="javascript:${RUN}">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<base href="javascript:${RUN}//">`,
  `<style>@import 'javascript:${RUN}';</style>`,
  `<math><mtext><mglyph><style><img src=x onerror=${RUN}>`,
  `<template><img src=x onerror=${RUN}></template>`,
  `<!--<img src="--><img src=x onerror=${RUN}>">`,
] as const

const CODE = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `vbscript:${RUN}`,
  '{{constructor.constructor("window.hacked=1")()}}',
  `\${${RUN}}`,
  '<%= window.hacked=1 %>',
  '#{window.hacked=1}',
  `';${RUN};//`,
  `\`;${RUN};\``,
  `\\u003cscript\\u003e${RUN}\\u003c/script\\u003e`,
  `__proto__[hacked]=1`,
] as const

const LOOKS = [
  '&lt;b&gt;&amp;amp;&quot;&#39;&#x3c;',
  '\u202egnp.exe\u202c is read from right to left',
  '\u0645\u0631\u062d\u0628\u0627 \u200fand\u200e back again',
  'zero\u200bwidth\u200djoiner\u2060and\ufeffmark',
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u{1f3f3}\ufe0f\u200d\u{1f308} \u{1f1e9}\u{1f1ea} \u{1f44d}\u{1f3fd}',
  `Z${'\u0351\u036b\u0313\u036a'.repeat(15)}algo`,
  `%3Cscript%3E${RUN}%3C/script%3E %00 %0d%0a`,
  'W'.repeat(90),
] as const

/** At most 100 characters each, which is as long as the shortest name can be. */
export const HOSTILE: readonly string[] = [...MARKUP, ...CODE, ...LOOKS].map((text, index) => `${index + 1} ${text}`)

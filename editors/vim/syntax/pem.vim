" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors
"
" PEM (RFC 7468), with the headers of RFC 1421 and the text that programs write between blocks.

if exists('b:current_syntax')
  finish
endif
let s:cpo_save = &cpoptions
set cpoptions&vim

syntax case match
syntax sync match pemSync grouphere NONE /^-----END [^-]\+-----$/
syntax sync minlines=200

" The text outside blocks.
syntax match pemComment /^\s*#.*/ contains=pemDate,pemField
let s:fields = ['Subject', 'Issuer', 'Serial Number', 'Not Before', 'Not After', 'Validity', 'subject', 'issuer', 'notBefore',
      \ 'notAfter', 'friendlyName', 'localKeyID', 'Fingerprint']
execute 'syntax match pemField /^\s*\%(# \)\=\zs\%(' . join(s:fields, '\|') . '\)\s*\ze[:=]/'
" Dates in the formats of OpenSSL and ISO 8601.
syntax match pemDate /\<\u\l\l \{1,2}\d\{1,2} \d\d:\d\d:\d\d \d\{4}\%( GMT\)\=\>/
syntax match pemDate /\<\d\{4}-\d\d-\d\d\%([T ]\d\d:\d\d\%(:\d\d\)\=Z\=\)\=\>/

" A block ends with the label with which it begins.
syntax region pemBlock matchgroup=pemBoundary start=/^-----BEGIN \z([^-]\+\)-----\s*$/ end=/^-----END \z1-----\s*$/
      \ keepend contains=pemHeader,pemWrong,pemBase64
syntax match pemBase64 contained /^[A-Za-z0-9+\/=]\+\s*$/
syntax match pemWrong contained /^.*[^A-Za-z0-9+\/= \t].*$/
syntax match pemHeader contained /^[A-Za-z0-9-]\+:.*$/ contains=pemHeaderName
syntax match pemHeaderName contained /^[A-Za-z0-9-]\+\ze:/
syntax region pemSecretBlock matchgroup=pemSecretBoundary start=/^-----BEGIN \z([^-]*PRIVATE KEY\)-----\s*$/
      \ end=/^-----END \z1-----\s*$/ keepend contains=pemHeader,pemWrong,pemBase64

highlight default link pemComment Comment
highlight default link pemField Identifier
highlight default link pemDate Number
highlight default link pemBoundary Statement
highlight default link pemSecretBoundary WarningMsg
highlight default link pemBase64 Comment
highlight default link pemHeader String
highlight default link pemHeaderName Identifier
highlight default link pemWrong Error

let b:current_syntax = 'pem'
let &cpoptions = s:cpo_save
unlet s:cpo_save s:fields

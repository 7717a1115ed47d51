" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors
"
" The netrc format as curl and Countersign parse it: case-insensitive keywords, quoted values, comments.

if exists('b:current_syntax')
  finish
endif
let s:cpo_save = &cpoptions
set cpoptions&vim

syntax case ignore
syntax sync fromstart

" A word in the place of a keyword: often the rest of an unquoted password with a space.
syntax match netrcUnknown /\S\+/
syntax match netrcComment /^\s*#.*/ contains=netrcTodo
syntax keyword netrcTodo contained TODO FIXME XXX

for [s:keyword, s:value] in [['machine', 'Machine'], ['login', 'Login'], ['account', 'Login'], ['password', 'Password']]
  execute 'syntax match netrcKeyword /\S\@1<!' . s:keyword . '\S\@!/ skipwhite skipempty nextgroup=netrc' . s:value
endfor
syntax match netrcDefault /\S\@1<!default\S\@!/
for s:value in ['Machine', 'Login', 'Password']
  execute 'syntax match netrc' . s:value . ' contained /"\%([^"\\]\|\\.\)*"\S\@!\|[^" \t]\S*/ contains=netrcEscape'
endfor
syntax match netrcEscape contained /\\./

" A macro, which ends at an empty line.
syntax region netrcMacro matchgroup=netrcKeyword start=/\S\@1<!macdef\S\@!/ end=/^\s*$/ contains=netrcMacroName
syntax match netrcMacroName contained /\%(macdef\s\+\)\@<=\S\+/

highlight default link netrcComment Comment
highlight default link netrcTodo Todo
highlight default link netrcKeyword Statement
highlight default link netrcDefault Statement
highlight default link netrcMachine Function
highlight default link netrcLogin Identifier
highlight default link netrcPassword String
highlight default link netrcEscape SpecialChar
highlight default link netrcMacroName Function
highlight default link netrcMacro PreProc
highlight default link netrcUnknown Error

let b:current_syntax = 'netrc'
let &cpoptions = s:cpo_save
unlet s:cpo_save s:keyword s:value

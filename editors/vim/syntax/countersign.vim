" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors
"
" The trust policy: block style to the level of each key, flow style ({a: b}) below it.

if exists('b:current_syntax')
  finish
endif
let s:cpo_save = &cpoptions
set cpoptions&vim

syntax case match
syntax sync fromstart

" The end of a plain scalar, and the separator after a key.
let s:end = '\ze\s*\%($\|\s#\|[],}]\)'
let s:colon = '\ze\s*:\%(\s\|$\)'

" Defines the values of a key: its valid values, the values that weaken trust, and all others as errors.
function! s:DefineValue(name, words) abort
  let name = substitute(a:name, '-', '_', 'g')
  let words = join(map(copy(a:words), 'escape(v:val, ".")'), '\|')
  let next = printf('countersignWrong_%s,countersignWord_%s,countersignList_%s', name, name, name)
  execute printf('syntax match countersignColon_%s contained /\s*:\s\+/ nextgroup=%s', name, next)
  execute printf('syntax match countersignWrong_%s contained /[^ #{}[\],][^#{}[\],]\{-}%s/', name, s:end)
  execute printf('syntax match countersignWord_%s contained /\(["'']\=\)\%%(%s\)\1%s/ contains=countersignWeak',
        \ name, words, s:end)
  execute printf('highlight default link countersignWrong_%s countersignUnknown', name)
  execute printf('highlight default link countersignWord_%s countersignValue', name)
endfunction

syntax match countersignComment /\%(^\|\s\)#.*/ contains=countersignTodo,countersignSchemaLine
syntax keyword countersignTodo contained TODO FIXME XXX
syntax match countersignSchemaLine contained /\<yaml-language-server:.*/
syntax match countersignMarker /^\%(---\|\.\.\.\)\%(\s\|$\)\|^%.*/

" The top level with its three keys.
execute 'syntax match countersignUnknown /^[^ #\t%"''-]\S\{-}' . s:colon . '/'
execute 'syntax match countersignTopKey /^version' . s:colon . '/ nextgroup=countersignColon_version'
call s:DefineValue('version', ['1'])
syntax region countersignDefault matchgroup=countersignTopKey start=/^default\ze\s*:/ end=/^\ze[^ #\t]/
      \ contains=@countersignServer
syntax region countersignDomains matchgroup=countersignTopKey start=/^domains\ze\s*:/ end=/^\ze[^ #\t]/
      \ contains=countersignEntry,countersignDomainFlow,countersignComment

" A domain, up to the next line that is not indented further.
syntax region countersignEntry contained matchgroup=countersignDomain
      \ start=/^\z(\s\+\)\%("[^"]*"\|'[^']*'\|[^ #'"{[-]\S\{-}\)\ze\s*:\%(\s\|$\)/ skip=/^\z1\s\|^\s*\%(#\|$\)/ end=/^/
      \ contains=@countersignServer
syntax region countersignDomainFlow contained matchgroup=countersignDelimiter start=/{/ end=/}/
      \ contains=countersignFlowDomain,countersignFlow,countersignComment
syntax match countersignFlowDomain contained /\%("[^"]*"\|'[^']*'\|[^ #'"{}[\],]\{-1,}\)\ze\s*:\%(\s\|$\)/

syntax cluster countersignServer contains=countersignUnknown,countersignKey,countersignPin,countersignDate,
      \countersignString,countersignFlow,countersignDash,countersignComment
execute 'syntax match countersignUnknown contained /[^ #''"{}[\],]\{-1,}' . s:colon . '/'

" The keys of an entry; keys with a fixed list of values accept no other value.
for [s:name, s:words] in items(extend(copy(countersign#PartKeys()), countersign#ServerKeys()))
  let s:next = empty(s:words) ? '' : ' nextgroup=countersignColon_' . substitute(s:name, '-', '_', 'g')
  execute 'syntax match countersignKey contained /[^ {,]\@1<!' . s:name . s:colon . '/' . s:next
  if !empty(s:words)
    call s:DefineValue(s:name, s:words)
  endif
endfor

" The values that weaken trust.
syntax match countersignWeak contained /\<\%(dangerously-disabled\|report-only\)\>/

" Lists and mappings in flow style.
syntax region countersignFlow contained matchgroup=countersignDelimiter start=/{/ end=/}/ contains=@countersignServer
syntax region countersignFlow contained matchgroup=countersignDelimiter start=/\[/ end=/\]/
      \ contains=@countersignServer,countersignPath
syntax match countersignDash contained /^\s*\zs-\ze\s/ nextgroup=countersignPath,countersignPin,countersignString skipwhite
execute 'syntax match countersignPath contained /[^ #''"{}[\],-][^#{}[\],]\{-}' . s:end . '/ contains=countersignMethod,countersignPin'
syntax region countersignList_methods contained matchgroup=countersignDelimiter start=/\[/ end=/\]/
      \ contains=countersignWrong,countersignMethod,countersignString,countersignComment
syntax match countersignWrong contained /[^ #'"[\],]\+/
execute 'syntax match countersignMethod contained /[^ ,[]\@1<!\%(' . join(countersign#Methods(), '\|') . '\)[^ ,\]]\@!/'
syntax region countersignString contained start=/"/ skip=/\\./ end=/"/ oneline contains=countersignPin,countersignMethod
syntax region countersignString contained start=/'/ skip=/''/ end=/'/ oneline contains=countersignPin,countersignMethod

" A pin: its kind and its digest.
syntax match countersignPin contained /\<\%(certificate-\|authority-\)\=sha256\/[A-Za-z0-9+\/:]\+=*/
      \ contains=countersignPinKind,countersignDigest
syntax match countersignPinKind contained /\%(certificate-\|authority-\)\=sha256\ze\// nextgroup=countersignDigest
syntax match countersignDigest contained /\/[A-Za-z0-9+\/:]\+=*/
syntax match countersignDate contained /\<\d\{4}-\%(0[1-9]\|1[0-2]\)-\%(0[1-9]\|[12]\d\|3[01]\)\>/

highlight default link countersignComment Comment
highlight default link countersignTodo Todo
highlight default link countersignSchemaLine SpecialComment
highlight default link countersignMarker PreProc
highlight default link countersignTopKey Statement
highlight default link countersignDomain Function
highlight default link countersignFlowDomain countersignDomain
highlight default link countersignKey Identifier
highlight default link countersignDelimiter Delimiter
highlight default link countersignDash countersignDelimiter
highlight default link countersignValue Constant
highlight default link countersignMethod countersignValue
highlight default link countersignWeak WarningMsg
highlight default link countersignPath String
highlight default link countersignString String
highlight default link countersignPinKind Type
highlight default link countersignDigest Comment
highlight default link countersignDate Number
highlight default link countersignUnknown Error
highlight default link countersignWrong countersignUnknown

let b:current_syntax = 'countersign'
let &cpoptions = s:cpo_save
unlet s:cpo_save s:end s:colon

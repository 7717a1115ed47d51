" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors

" The keys of a policy file, and the values of keys with a fixed list of values.
let s:words = {
      \ 'subdomains': ['true', 'false'],
      \ 'anchors': ['system'],
      \ 'purpose': ['server', 'client', 'email', 'code-signing', 'time-stamping', 'any'],
      \ 'profile': ['automatic', 'web-pki', 'private-pki'],
      \ 'pins': ['none'],
      \ 'certificate-policies': ['any'],
      \ 'accept-weak': ['none'],
      \ 'tolerate': ['none'],
      \ 'revocation-scope': ['path', 'leaf'],
      \ 'revocation': ['where-demanded', 'soft-fail', 'hard-fail'],
      \ 'transparency': ['none'],
      \ 'missing-issuers': ['not-fetched', 'fetched'],
      \ 'local-evidence': ['beside-server', 'allowed'],
      \ 'validation': ['full', 'first-use', 'dangerously-disabled'],
      \ 'minimum-tls': ['1.2', '1.3'],
      \ 'tls-library': ['boringssl', 'openssl', 'automatic'],
      \ 'legacy-tls': ['forbidden', 'allowed'],
      \ 'openssl-configuration': ['ignored', 'used'],
      \ 'plain-http': ['allowed', 'forbidden'],
      \ 'methods': ['all'],
      \ }
let s:parts = {
      \ 'anchors': {'add': [], 'only': []},
      \ 'pins': {'any': [], 'backups': [], 'until': [], 'enforcement': ['enforced', 'report-only']},
      \ 'certificate-policies': {'acceptable': [], 'required': ['true', 'false'],
      \   'mapping': ['allowed', 'inhibited'], 'any-policy': ['allowed', 'inhibited']},
      \ 'transparency': {'logs': [], 'rule': ['chrome', 'apple']},
      \ }

" The keys of an entry with their values.
function! countersign#ServerKeys() abort
  return s:words
endfunction

" The nested keys of an entry with their values.
function! countersign#PartKeys() abort
  return extend(extend(extend(copy(s:parts.anchors), s:parts.pins), s:parts['certificate-policies']), s:parts.transparency)
endfunction

" The authentication methods.
function! countersign#Methods() abort
  return ['negotiate', 'scram-sha-256', 'digest', 'ntlm', 'bearer', 'basic', 'socks-password']
endfunction

" Sets the filetype of a YAML file that is a policy, by its name or by its top-level keys.
function! countersign#DetectPolicy() abort
  if index(['', 'yaml'], &filetype) >= 0 && (s:HasPolicyName() || s:HasPolicyKeys())
    set filetype=countersign
  endif
endfunction

function! s:HasPolicyName() abort
  return expand('%:t') =~? '\v^(.*\.)?(trust-policy|countersign)\.ya?ml$'
endfunction

" Returns whether, in the first 100 lines, version is 1, default or domains is present, and there is no other top-level key.
function! s:HasPolicyKeys() abort
  let keys = filter(getline(1, 100), 'v:val =~# ''^[^ #\t-]''')
  call filter(keys, 'v:val !~# ''^\(%\|---\|\.\.\.\)''')
  return match(keys, '^["'']\=version["'']\=\s*:\s*\(["'']\=\)1\1\s*\(#.*\)\=$') >= 0
        \ && match(keys, '^["'']\=\(default\|domains\)["'']\=\s*:') >= 0
        \ && match(keys, '^\(["'']\=\(version\|default\|domains\)["'']\=\s*:\)\@!') < 0
endfunction

" Sets the filetype of a file with a PEM block in its first 100 lines; DER files have the same names.
function! countersign#DetectPEM() abort
  if match(getline(1, 100), '^-----BEGIN [^-]\+-----$') >= 0
    set filetype=pem
  endif
endfunction

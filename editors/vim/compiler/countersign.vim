" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors

if exists('current_compiler')
  finish
endif
let current_compiler = 'countersign'

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif

CompilerSet makeprg=countersign\ trust\ check-policy\ --format\ editor\ %:S
" Columns count characters; %v counts them too, and %c counts bytes.
CompilerSet errorformat=%f:%l:%v:\ %trror:\ %m,%f:%l:%v:\ %tarning:\ %m

" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors

if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal nospell formatoptions-=t formatoptions-=c textwidth=0
" Disables files that would contain a copy of a private key.
setlocal noswapfile noundofile

let b:undo_ftplugin = 'setlocal comments< commentstring< spell< formatoptions< textwidth< swapfile< undofile<'

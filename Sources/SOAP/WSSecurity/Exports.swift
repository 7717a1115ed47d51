// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Keys, algorithms and names are part of every call.
@_exported public import XMLEncryption
@_exported public import XMLSignature

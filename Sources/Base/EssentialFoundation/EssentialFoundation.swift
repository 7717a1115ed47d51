// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// FoundationEssentials is Foundation without formatters, networking and locale data. If it is not a separate module, as
// on macOS, this module exports Foundation.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The policies and verdicts of this module refer to host names.
@_exported public import NetworkNames

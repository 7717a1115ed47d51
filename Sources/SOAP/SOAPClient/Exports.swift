// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Generated code imports this target alone.
@_exported public import XMLValues

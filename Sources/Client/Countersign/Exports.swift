// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

@_exported public import CertificateTrust
@_exported public import Challenges
@_exported public import ErrorExplanations
@_exported public import HTTPTransport
@_exported public import HTTPTypes
@_exported public import Identities
@_exported public import Secrets
@_exported public import TLSTransport

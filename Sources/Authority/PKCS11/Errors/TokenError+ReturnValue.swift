// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CPKCS11

extension TokenFunction {
    /// Passes a success, and throws the error that a return value stands for.
    func check(_ result: CK_RV) throws(TokenError) {
        guard result == CKR_OK else { throw TokenError(result, of: self) }
    }
}

extension TokenError {
    /// The error that a function's return value stands for (PKCS#11 section 5.1).
    init(_ code: CK_RV, of function: TokenFunction) {
        self =
            switch code {
            case CKR_PIN_INCORRECT: .pinIncorrect
            case CKR_PIN_LOCKED: .pinLocked
            case CKR_PIN_INVALID, CKR_PIN_LEN_RANGE, CKR_PIN_EXPIRED, CKR_USER_PIN_NOT_INITIALIZED: .pinUnusable
            case CKR_TOKEN_NOT_PRESENT, CKR_TOKEN_NOT_RECOGNIZED, CKR_DEVICE_REMOVED: .removed
            case CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_USER_NOT_LOGGED_IN, CKR_KEY_HANDLE_INVALID,
                CKR_OBJECT_HANDLE_INVALID, CKR_CRYPTOKI_NOT_INITIALIZED:
                .sessionLost
            case CKR_TOKEN_WRITE_PROTECTED: .writeProtected
            case CKR_DEVICE_MEMORY: .full
            case CKR_MECHANISM_INVALID, CKR_FUNCTION_NOT_SUPPORTED, CKR_CURVE_NOT_SUPPORTED, CKR_KEY_SIZE_RANGE:
                .unsupportedFunction(function)
            case CKR_KEY_FUNCTION_NOT_PERMITTED: .notForSigning
            case CKR_CANCEL, CKR_FUNCTION_CANCELED: .cancelled
            default: .failed(function, code: code)
            }
    }

    /// Whether a new session may mend it.
    var endsSession: Bool { self == .sessionLost || self == .removed }
}

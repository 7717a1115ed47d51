// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The PKCS#11 declarations that a signer needs, written from the OASIS specification: PKCS #11 Cryptographic Token
// Interface Base Specification Version 2.40, which version 3.0 extends compatibly. Names are those of the
// specification.

#ifndef COUNTERSIGN_CPKCS11_H
#define COUNTERSIGN_CPKCS11_H

#include <stddef.h>

// Section 3.1: general types. No structure is packed on Linux and macOS.
typedef unsigned char CK_BYTE;
typedef unsigned char CK_BBOOL;
typedef unsigned char CK_UTF8CHAR;
typedef unsigned long CK_ULONG;
typedef CK_ULONG CK_FLAGS;
typedef CK_ULONG CK_RV;
typedef CK_ULONG CK_SLOT_ID;
typedef CK_ULONG CK_SESSION_HANDLE;
typedef CK_ULONG CK_OBJECT_HANDLE;
typedef CK_ULONG CK_USER_TYPE;
typedef CK_ULONG CK_ATTRIBUTE_TYPE;
typedef CK_ULONG CK_MECHANISM_TYPE;

#define CK_FALSE 0
#define CK_TRUE 1

typedef struct {
    CK_BYTE major;
    CK_BYTE minor;
} CK_VERSION;

// Section 3.2: slots and tokens. Texts are padded with blanks, and do not end in a zero byte.
typedef struct {
    CK_UTF8CHAR label[32];
    CK_UTF8CHAR manufacturerID[32];
    CK_UTF8CHAR model[16];
    CK_UTF8CHAR serialNumber[16];
    CK_FLAGS flags;
    CK_ULONG ulMaxSessionCount;
    CK_ULONG ulSessionCount;
    CK_ULONG ulMaxRwSessionCount;
    CK_ULONG ulRwSessionCount;
    CK_ULONG ulMaxPinLen;
    CK_ULONG ulMinPinLen;
    CK_ULONG ulTotalPublicMemory;
    CK_ULONG ulFreePublicMemory;
    CK_ULONG ulTotalPrivateMemory;
    CK_ULONG ulFreePrivateMemory;
    CK_VERSION hardwareVersion;
    CK_VERSION firmwareVersion;
    CK_UTF8CHAR utcTime[16];
} CK_TOKEN_INFO;

#define CKF_LOGIN_REQUIRED 0x00000004UL
#define CKF_PROTECTED_AUTHENTICATION_PATH 0x00000100UL
#define CKF_TOKEN_INITIALIZED 0x00000400UL

// Section 3.3: sessions.
#define CKU_USER 1UL
#define CKU_CONTEXT_SPECIFIC 2UL
#define CKF_RW_SESSION 0x00000002UL
#define CKF_SERIAL_SESSION 0x00000004UL

// Section 3.4: objects.
typedef struct {
    CK_ATTRIBUTE_TYPE type;
    void *pValue;
    CK_ULONG ulValueLen;
} CK_ATTRIBUTE;

#define CKO_CERTIFICATE 0x00000001UL
#define CKO_PUBLIC_KEY 0x00000002UL
#define CKO_PRIVATE_KEY 0x00000003UL

#define CKK_RSA 0x00000000UL
#define CKK_EC 0x00000003UL

#define CKA_CLASS 0x00000000UL
#define CKA_TOKEN 0x00000001UL
#define CKA_PRIVATE 0x00000002UL
#define CKA_LABEL 0x00000003UL
#define CKA_VALUE 0x00000011UL
#define CKA_KEY_TYPE 0x00000100UL
#define CKA_ID 0x00000102UL
#define CKA_SENSITIVE 0x00000103UL
#define CKA_DECRYPT 0x00000105UL
#define CKA_UNWRAP 0x00000107UL
#define CKA_SIGN 0x00000108UL
#define CKA_VERIFY 0x0000010AUL
#define CKA_DERIVE 0x0000010CUL
#define CKA_MODULUS 0x00000120UL
#define CKA_MODULUS_BITS 0x00000121UL
#define CKA_PUBLIC_EXPONENT 0x00000122UL
#define CKA_EXTRACTABLE 0x00000162UL
#define CKA_EC_PARAMS 0x00000180UL
#define CKA_EC_POINT 0x00000181UL
#define CKA_ALWAYS_AUTHENTICATE 0x00000202UL

// Section 3.5: mechanisms.
typedef struct {
    CK_MECHANISM_TYPE mechanism;
    void *pParameter;
    CK_ULONG ulParameterLen;
} CK_MECHANISM;

#define CKM_RSA_PKCS_KEY_PAIR_GEN 0x00000000UL
#define CKM_RSA_PKCS 0x00000001UL
#define CKM_EC_KEY_PAIR_GEN 0x00001040UL
#define CKM_ECDSA 0x00001041UL

// Section 3.6: return values.
#define CKR_OK 0x00000000UL
#define CKR_CANCEL 0x00000001UL
#define CKR_DEVICE_ERROR 0x00000030UL
#define CKR_DEVICE_MEMORY 0x00000031UL
#define CKR_DEVICE_REMOVED 0x00000032UL
#define CKR_FUNCTION_CANCELED 0x00000050UL
#define CKR_FUNCTION_NOT_SUPPORTED 0x00000054UL
#define CKR_KEY_HANDLE_INVALID 0x00000060UL
#define CKR_KEY_SIZE_RANGE 0x00000062UL
#define CKR_KEY_FUNCTION_NOT_PERMITTED 0x00000068UL
#define CKR_MECHANISM_INVALID 0x00000070UL
#define CKR_OBJECT_HANDLE_INVALID 0x00000082UL
#define CKR_PIN_INCORRECT 0x000000A0UL
#define CKR_PIN_INVALID 0x000000A1UL
#define CKR_PIN_LEN_RANGE 0x000000A2UL
#define CKR_PIN_EXPIRED 0x000000A3UL
#define CKR_PIN_LOCKED 0x000000A4UL
#define CKR_SESSION_CLOSED 0x000000B0UL
#define CKR_SESSION_HANDLE_INVALID 0x000000B3UL
#define CKR_TOKEN_NOT_PRESENT 0x000000E0UL
#define CKR_TOKEN_NOT_RECOGNIZED 0x000000E1UL
#define CKR_TOKEN_WRITE_PROTECTED 0x000000E2UL
#define CKR_USER_ALREADY_LOGGED_IN 0x00000100UL
#define CKR_USER_NOT_LOGGED_IN 0x00000101UL
#define CKR_USER_PIN_NOT_INITIALIZED 0x00000102UL
#define CKR_CURVE_NOT_SUPPORTED 0x00000140UL
#define CKR_CRYPTOKI_NOT_INITIALIZED 0x00000190UL
#define CKR_CRYPTOKI_ALREADY_INITIALIZED 0x00000191UL

// Section 3.7: the functions of a module.
typedef struct {
    void *CreateMutex;
    void *DestroyMutex;
    void *LockMutex;
    void *UnlockMutex;
    CK_FLAGS flags;
    void *pReserved;
} CK_C_INITIALIZE_ARGS;

#define CKF_OS_LOCKING_OK 0x00000002UL

/// A function that Countersign does not call. It only fills its position in the list, so its parameters do not matter.
typedef void (*CK_OTHER_FUNCTION)(void);

/// All functions of version 2.40, in the order of the specification. Version 3.0 keeps this list and adds another one.
typedef struct CK_FUNCTION_LIST {
    CK_VERSION version;
    CK_RV (*C_Initialize)(void *arguments);
    CK_OTHER_FUNCTION C_Finalize;
    CK_OTHER_FUNCTION C_GetInfo;
    CK_OTHER_FUNCTION C_GetFunctionList;
    CK_RV (*C_GetSlotList)(CK_BBOOL tokenPresent, CK_SLOT_ID *slots, CK_ULONG *count);
    CK_OTHER_FUNCTION C_GetSlotInfo;
    CK_RV (*C_GetTokenInfo)(CK_SLOT_ID slot, CK_TOKEN_INFO *info);
    CK_OTHER_FUNCTION C_GetMechanismList;
    CK_OTHER_FUNCTION C_GetMechanismInfo;
    CK_OTHER_FUNCTION C_InitToken;
    CK_OTHER_FUNCTION C_InitPIN;
    CK_OTHER_FUNCTION C_SetPIN;
    CK_RV (*C_OpenSession)(
        CK_SLOT_ID slot, CK_FLAGS flags, void *application, void *notify, CK_SESSION_HANDLE *session);
    CK_RV (*C_CloseSession)(CK_SESSION_HANDLE session);
    CK_OTHER_FUNCTION C_CloseAllSessions;
    CK_OTHER_FUNCTION C_GetSessionInfo;
    CK_OTHER_FUNCTION C_GetOperationState;
    CK_OTHER_FUNCTION C_SetOperationState;
    CK_RV (*C_Login)(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG length);
    CK_OTHER_FUNCTION C_Logout;
    CK_OTHER_FUNCTION C_CreateObject;
    CK_OTHER_FUNCTION C_CopyObject;
    CK_RV (*C_DestroyObject)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object);
    CK_OTHER_FUNCTION C_GetObjectSize;
    CK_RV (*C_GetAttributeValue)(
        CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count);
    CK_OTHER_FUNCTION C_SetAttributeValue;
    CK_RV (*C_FindObjectsInit)(CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count);
    CK_RV (*C_FindObjects)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG most, CK_ULONG *count);
    CK_RV (*C_FindObjectsFinal)(CK_SESSION_HANDLE session);
    CK_OTHER_FUNCTION C_EncryptInit;
    CK_OTHER_FUNCTION C_Encrypt;
    CK_OTHER_FUNCTION C_EncryptUpdate;
    CK_OTHER_FUNCTION C_EncryptFinal;
    CK_OTHER_FUNCTION C_DecryptInit;
    CK_OTHER_FUNCTION C_Decrypt;
    CK_OTHER_FUNCTION C_DecryptUpdate;
    CK_OTHER_FUNCTION C_DecryptFinal;
    CK_OTHER_FUNCTION C_DigestInit;
    CK_OTHER_FUNCTION C_Digest;
    CK_OTHER_FUNCTION C_DigestUpdate;
    CK_OTHER_FUNCTION C_DigestKey;
    CK_OTHER_FUNCTION C_DigestFinal;
    CK_RV (*C_SignInit)(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key);
    CK_RV (*C_Sign)(
        CK_SESSION_HANDLE session, CK_BYTE *data, CK_ULONG length, CK_BYTE *signature, CK_ULONG *signatureLength);
    CK_OTHER_FUNCTION C_SignUpdate;
    CK_OTHER_FUNCTION C_SignFinal;
    CK_OTHER_FUNCTION C_SignRecoverInit;
    CK_OTHER_FUNCTION C_SignRecover;
    CK_OTHER_FUNCTION C_VerifyInit;
    CK_OTHER_FUNCTION C_Verify;
    CK_OTHER_FUNCTION C_VerifyUpdate;
    CK_OTHER_FUNCTION C_VerifyFinal;
    CK_OTHER_FUNCTION C_VerifyRecoverInit;
    CK_OTHER_FUNCTION C_VerifyRecover;
    CK_OTHER_FUNCTION C_DigestEncryptUpdate;
    CK_OTHER_FUNCTION C_DecryptDigestUpdate;
    CK_OTHER_FUNCTION C_SignEncryptUpdate;
    CK_OTHER_FUNCTION C_DecryptVerifyUpdate;
    CK_OTHER_FUNCTION C_GenerateKey;
    CK_RV (*C_GenerateKeyPair)(
        CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *publicAttributes, CK_ULONG publicCount,
        CK_ATTRIBUTE *privateAttributes, CK_ULONG privateCount, CK_OBJECT_HANDLE *publicKey,
        CK_OBJECT_HANDLE *privateKey);
    CK_OTHER_FUNCTION C_WrapKey;
    CK_OTHER_FUNCTION C_UnwrapKey;
    CK_OTHER_FUNCTION C_DeriveKey;
    CK_OTHER_FUNCTION C_SeedRandom;
    CK_OTHER_FUNCTION C_GenerateRandom;
    CK_OTHER_FUNCTION C_GetFunctionStatus;
    CK_OTHER_FUNCTION C_CancelFunction;
    CK_OTHER_FUNCTION C_WaitForSlotEvent;
} CK_FUNCTION_LIST;

// The version is padded to the size of a pointer, and 68 pointers follow.
_Static_assert(sizeof(CK_FUNCTION_LIST) == 69 * sizeof(void *), "the function list is incomplete");
_Static_assert(
    offsetof(CK_FUNCTION_LIST, C_SignInit) == 43 * sizeof(void *)
        && offsetof(CK_FUNCTION_LIST, C_GenerateKeyPair) == 60 * sizeof(void *),
    "the function list is out of order");

/// Gets the function list of a module from the address of its `C_GetFunctionList`.
static inline CK_RV pkcs11_function_list(void *address, CK_FUNCTION_LIST **list) {
    return ((CK_RV (*)(CK_FUNCTION_LIST **))address)(list);
}

// Some modules lack a function, in violation of the specification.
#define PKCS11_CALL(list, function, ...) \
    ((list)->function == NULL ? CKR_FUNCTION_NOT_SUPPORTED : (list)->function(__VA_ARGS__))

/// Initializes a module, which must lock with the system's primitives.
static inline CK_RV pkcs11_initialize(const CK_FUNCTION_LIST *list) {
    CK_C_INITIALIZE_ARGS arguments = {NULL, NULL, NULL, NULL, CKF_OS_LOCKING_OK, NULL};
    return PKCS11_CALL(list, C_Initialize, &arguments);
}

static inline CK_RV pkcs11_slots(const CK_FUNCTION_LIST *list, CK_SLOT_ID *slots, CK_ULONG *count) {
    return PKCS11_CALL(list, C_GetSlotList, CK_TRUE, slots, count);
}

static inline CK_RV pkcs11_token_info(const CK_FUNCTION_LIST *list, CK_SLOT_ID slot, CK_TOKEN_INFO *info) {
    return PKCS11_CALL(list, C_GetTokenInfo, slot, info);
}

static inline CK_RV pkcs11_open_session(
    const CK_FUNCTION_LIST *list, CK_SLOT_ID slot, CK_FLAGS flags, CK_SESSION_HANDLE *session) {
    return PKCS11_CALL(list, C_OpenSession, slot, flags, NULL, NULL, session);
}

static inline CK_RV pkcs11_close_session(const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session) {
    return PKCS11_CALL(list, C_CloseSession, session);
}

/// Logs in; the module only reads the PIN, although its parameter is not constant.
static inline CK_RV pkcs11_login(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, CK_USER_TYPE user, const void *pin, CK_ULONG length) {
    return PKCS11_CALL(list, C_Login, session, user, (CK_UTF8CHAR *)pin, length);
}

static inline CK_RV pkcs11_find_init(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    return PKCS11_CALL(list, C_FindObjectsInit, session, attributes, count);
}

static inline CK_RV pkcs11_find(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG most,
    CK_ULONG *count) {
    return PKCS11_CALL(list, C_FindObjects, session, objects, most, count);
}

static inline CK_RV pkcs11_find_final(const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session) {
    return PKCS11_CALL(list, C_FindObjectsFinal, session);
}

static inline CK_RV pkcs11_attributes(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes,
    CK_ULONG count) {
    return PKCS11_CALL(list, C_GetAttributeValue, session, object, attributes, count);
}

static inline CK_RV pkcs11_destroy(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object) {
    return PKCS11_CALL(list, C_DestroyObject, session, object);
}

static inline CK_RV pkcs11_generate_pair(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, CK_MECHANISM_TYPE type, CK_ATTRIBUTE *publicAttributes,
    CK_ULONG publicCount, CK_ATTRIBUTE *privateAttributes, CK_ULONG privateCount, CK_OBJECT_HANDLE *publicKey,
    CK_OBJECT_HANDLE *privateKey) {
    CK_MECHANISM mechanism = {type, NULL, 0};
    return PKCS11_CALL(
        list, C_GenerateKeyPair, session, &mechanism, publicAttributes, publicCount, privateAttributes, privateCount,
        publicKey, privateKey);
}

static inline CK_RV pkcs11_sign_init(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key) {
    CK_MECHANISM mechanism = {type, NULL, 0};
    return PKCS11_CALL(list, C_SignInit, session, &mechanism, key);
}

/// Signs; the module only reads the data, although its parameter is not constant.
static inline CK_RV pkcs11_sign(
    const CK_FUNCTION_LIST *list, CK_SESSION_HANDLE session, const void *data, CK_ULONG length, void *signature,
    CK_ULONG *signatureLength) {
    return PKCS11_CALL(list, C_Sign, session, (CK_BYTE *)data, length, (CK_BYTE *)signature, signatureLength);
}

#endif

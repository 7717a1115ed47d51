// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import NIOSSL

@main struct X { static func main() {} }

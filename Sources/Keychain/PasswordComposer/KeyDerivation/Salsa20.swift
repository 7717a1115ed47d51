// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The core of Salsa20 with eight rounds (RFC 7914 section 3).
enum Salsa20 {
    /// Permutes sixteen words, and adds them to what they were.
    ///
    /// Local variables stay in registers, which an array would not.
    static func apply(_ x: UnsafeMutablePointer<UInt32>) {
        var (a, b, c, d) = (x[0], x[1], x[2], x[3])
        var (e, f, g, h) = (x[4], x[5], x[6], x[7])
        var (i, j, k, l) = (x[8], x[9], x[10], x[11])
        var (m, n, o, p) = (x[12], x[13], x[14], x[15])
        var sum: UInt32
        var round = 0
        while round < 8 {
            sum = a &+ m
            e ^= sum &<< 7 | sum &>> 25
            sum = e &+ a
            i ^= sum &<< 9 | sum &>> 23
            sum = i &+ e
            m ^= sum &<< 13 | sum &>> 19
            sum = m &+ i
            a ^= sum &<< 18 | sum &>> 14
            sum = f &+ b
            j ^= sum &<< 7 | sum &>> 25
            sum = j &+ f
            n ^= sum &<< 9 | sum &>> 23
            sum = n &+ j
            b ^= sum &<< 13 | sum &>> 19
            sum = b &+ n
            f ^= sum &<< 18 | sum &>> 14
            sum = k &+ g
            o ^= sum &<< 7 | sum &>> 25
            sum = o &+ k
            c ^= sum &<< 9 | sum &>> 23
            sum = c &+ o
            g ^= sum &<< 13 | sum &>> 19
            sum = g &+ c
            k ^= sum &<< 18 | sum &>> 14
            sum = p &+ l
            d ^= sum &<< 7 | sum &>> 25
            sum = d &+ p
            h ^= sum &<< 9 | sum &>> 23
            sum = h &+ d
            l ^= sum &<< 13 | sum &>> 19
            sum = l &+ h
            p ^= sum &<< 18 | sum &>> 14
            sum = a &+ d
            b ^= sum &<< 7 | sum &>> 25
            sum = b &+ a
            c ^= sum &<< 9 | sum &>> 23
            sum = c &+ b
            d ^= sum &<< 13 | sum &>> 19
            sum = d &+ c
            a ^= sum &<< 18 | sum &>> 14
            sum = f &+ e
            g ^= sum &<< 7 | sum &>> 25
            sum = g &+ f
            h ^= sum &<< 9 | sum &>> 23
            sum = h &+ g
            e ^= sum &<< 13 | sum &>> 19
            sum = e &+ h
            f ^= sum &<< 18 | sum &>> 14
            sum = k &+ j
            l ^= sum &<< 7 | sum &>> 25
            sum = l &+ k
            i ^= sum &<< 9 | sum &>> 23
            sum = i &+ l
            j ^= sum &<< 13 | sum &>> 19
            sum = j &+ i
            k ^= sum &<< 18 | sum &>> 14
            sum = p &+ o
            m ^= sum &<< 7 | sum &>> 25
            sum = m &+ p
            n ^= sum &<< 9 | sum &>> 23
            sum = n &+ m
            o ^= sum &<< 13 | sum &>> 19
            sum = o &+ n
            p ^= sum &<< 18 | sum &>> 14
            round &+= 2
        }
        x[0] &+= a
        x[1] &+= b
        x[2] &+= c
        x[3] &+= d
        x[4] &+= e
        x[5] &+= f
        x[6] &+= g
        x[7] &+= h
        x[8] &+= i
        x[9] &+= j
        x[10] &+= k
        x[11] &+= l
        x[12] &+= m
        x[13] &+= n
        x[14] &+= o
        x[15] &+= p
    }
}

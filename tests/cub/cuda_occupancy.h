/* The toolkit's header of this name, which Thrust includes, and of which it uses nothing.
 * SPDX-License-Identifier: Apache-2.0 */

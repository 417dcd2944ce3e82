// SPDX-License-Identifier: BSD-2-Clause
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** A histogram of lengths of time, exact to 1/32; any thread adds. */
final class Timer {
	private static final int SUB_BITS = 5;
	private static final int SUB = 1 << SUB_BITS;

	private final String name;
	private final AtomicLongArray counts = new AtomicLongArray(64 * SUB);
	private final AtomicLong max = new AtomicLong();

	Timer(String name) {
		this.name = name;
	}

	void add(long ns) {
		counts.incrementAndGet(bucket(ns));
		max.accumulateAndGet(ns, Math::max);
	}

	private static int bucket(long ns) {
		int shift = 63 - Long.numberOfLeadingZeros(Math.max(ns, SUB)) - SUB_BITS;

		return shift * SUB + (int) (ns >> shift);
	}

	/** The first length beyond that bucket. */
	private static long end(int bucket) {
		int shift = Math.max(bucket / SUB - 1, 0);

		return (bucket - (long) shift * SUB + 1) << shift;
	}

	private long percentile(double share, long total) {
		long left = (long) Math.ceil(share * total);

		for (int i = 0; i < counts.length(); i++) {
			left -= counts.get(i);
			if (left <= 0)
				return Math.min(end(i), max.get());
		}
		return max.get();
	}

	private long total() {
		long total = 0;

		for (int i = 0; i < counts.length(); i++)
			total += counts.get(i);
		return total;
	}

	/** One line with the percentiles, then one a bucket that is not empty: what it ends at and how many are in it. */
	void report() {
		long total = total();

		System.out.printf("timer %s count=%d p50_ns=%d p99_ns=%d p999_ns=%d max_ns=%d%n", name, total, percentile(0.5, total),
			percentile(0.99, total), percentile(0.999, total), max.get());
		for (int i = 0; i < counts.length(); i++) {
			if (counts.get(i) > 0)
				System.out.printf("bucket %s below_ns=%d count=%d%n", name, end(i), counts.get(i));
		}
	}
}

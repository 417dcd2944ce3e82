// SPDX-License-Identifier: BSD-2-Clause
/** A thread that makes the others wait: copies of a big array, which no safepoint interrupts. Arguments: seconds longest-gap-ms. */
import java.util.SplittableRandom;

public class LateCopy {
	private static final int BYTES = 200 << 20;
	private static volatile long sink;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		long gap = args.length > 1 ? Long.parseLong(args[1]) : 80;
		byte[] from = new byte[BYTES];
		byte[] to = new byte[BYTES];
		SplittableRandom random = new SplittableRandom(1);
		Thread late = new Thread(() -> {
			while (System.nanoTime() < end)
				System.arraycopy(from, 0, to, 0, BYTES);
		}, "late-copy");

		late.start();
		while (System.nanoTime() < end) {
			Thread.sleep(random.nextLong(gap));
			sink += Thread.getAllStackTraces().size();
		}
	}
}
